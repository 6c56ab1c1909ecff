@echo off
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem install.cmd [FOLDER OF WIRESHARK]: installs for the current user. No administrator is needed.
setlocal
set "HERE=%~dp0"
call :install "%~1"
set "STATUS=%ERRORLEVEL%"
rem If you double-clicked this file, the window closes at its end.
pause
exit /b %STATUS%

:install
set "FOR=@WIRESHARK@"
set "WIRESHARK=%ProgramFiles%\Wireshark"
if not "%~1"=="" set "WIRESHARK=%~1"
if not exist "%HERE%perflib.dll" (
    echo Please unpack the whole zip first.
    exit /b 1
)
set "FOUND="
set "SHORT="
if exist "%WIRESHARK%\tshark.exe" for /f "tokens=3" %%v in ('""%WIRESHARK%\tshark.exe" --version"') do if not defined FOUND set "FOUND=%%v"
if not defined FOUND (
    echo There is no tshark.exe in "%WIRESHARK%". Please run install.cmd "FOLDER OF WIRESHARK".
    exit /b 1
)
for /f "tokens=1,2 delims=." %%a in ("%FOUND%") do set "SHORT=%%a.%%b"
if not "%SHORT%"=="%FOR%" (
    echo This is perflib for Wireshark %FOR%, but you have %FOUND%. Please use the zip for %SHORT%, if there is one.
    exit /b 1
)
set "PLUGINS=%APPDATA%\Wireshark\plugins\%FOR%\epan"
set "PROFILE=%APPDATA%\Wireshark\profiles\perflib"
if not exist "%PLUGINS%" mkdir "%PLUGINS%"
copy /y "%HERE%perflib.dll" "%PLUGINS%" > nul || (
    echo "%PLUGINS%\perflib.dll" cannot be written: please close Wireshark.
    exit /b 1
)
if not exist "%PROFILE%" mkdir "%PROFILE%"
rem Your changes to the profile are kept.
pushd "%HERE%profile" || exit /b 1
for %%f in (*) do if not exist "%PROFILE%\%%f" copy "%%f" "%PROFILE%" > nul
popd
echo Installed: %PLUGINS%\perflib.dll
echo and the profile perflib. Restart Wireshark. Then Help, About Wireshark, Plugins lists the plugin.
exit /b 0
