@echo off
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem uninstall.cmd: takes away what install.cmd brought. Wireshark must not run.
setlocal
set "HERE=%~dp0"
call :uninstall
set "STATUS=%ERRORLEVEL%"
rem The window of who clicked on this file closes at its end.
pause
exit /b %STATUS%

:uninstall
set "PLUGINS=%APPDATA%\Wireshark\plugins\@WIRESHARK@\epan"
set "PROFILE=%APPDATA%\Wireshark\profiles\perflib"
if exist "%PLUGINS%\perflib.dll" del "%PLUGINS%\perflib.dll"
if exist "%PLUGINS%\perflib.dll" (
    echo "%PLUGINS%\perflib.dll" is in use: please close Wireshark.
    exit /b 1
)
pushd "%HERE%profile" || exit /b 1
for %%f in (*) do if exist "%PROFILE%\%%f" del "%PROFILE%\%%f"
popd
rem The folder that has our name goes if nothing else is in it.
rmdir "%PROFILE%" 2> nul
echo perflib for Wireshark @WIRESHARK@ is removed.
exit /b 0
