@echo off
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem uninstall.cmd: removes everything that install.cmd installed. Wireshark must not be running.
setlocal
set "HERE=%~dp0"
call :uninstall
set "STATUS=%ERRORLEVEL%"
rem If you double-clicked this file, the window closes at its end.
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
rem The folder with our name is removed if it is empty.
rmdir "%PROFILE%" 2> nul
echo perflib for Wireshark @WIRESHARK@ is removed.
exit /b 0
