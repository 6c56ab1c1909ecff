@echo off
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem record.cmd SERVER: records SERVER's performance counters for a minute twice, as typeperf shows them and as they go
rem over the network, and packs both into a zip. README.md beside it says what for. Nobody has run it on Windows yet.
setlocal
set "SERVER=%~1"
if not defined SERVER (
    echo Usage: record.cmd SERVER
    echo SERVER: another Windows machine, whose Remote Registry service runs.
    exit /b 2
)
if "%SERVER:~0,2%"=="\\" set "SERVER=%SERVER:~2%"
set "OUT=%CD%\perflib-truth"
set "DUMPCAP=%ProgramFiles%\Wireshark\dumpcap.exe"
set "HOW="
rem fltmc wants an administrator, and no service.
fltmc > nul 2>&1 && where pktmon > nul 2>&1 && set "HOW=pktmon"
if exist "%DUMPCAP%" set "HOW=dumpcap"
if not defined HOW (
    echo To capture, please install Wireshark, or run this as administrator of Windows 10 2004 or newer.
    exit /b 1
)
if exist "%OUT%" (
    echo "%OUT%" is there already. Please move it away.
    exit /b 1
)
for %%t in (typeperf logman powershell) do where %%t > nul 2>&1 || (
    echo This Windows has no %%t.
    exit /b 1
)
typeperf "\System\Threads" -sc 1 2> nul | findstr /c:"(PDH-CSV" > nul || (
    echo typeperf does not know \System\Threads. It takes names in the language of this Windows: please take an English one.
    exit /b 1
)

echo This records about three minutes of
echo   - the network traffic of this machine: by Wireshark that with %SERVER% and Kerberos', by pktmon all of it;
echo   - the counters of %SERVER% that counters.txt lists, by typeperf, then some of them by the older API;
echo   - the list of %SERVER%'s data collector sets, by logman.
echo It changes nothing else, on neither machine, and leaves "%OUT%.zip".
echo In it are the names of both machines, of your user, of %SERVER%'s processes, disks and network adapters, and,
echo encrypted or not as it was sent, the traffic. To decrypt the counters one needs the password of the user who runs
echo this, or a keytab: please use an account made for it, and delete it afterwards.
echo The login has to be in it: log on just before, or run "klist purge", and connect no drive to %SERVER%.
echo While it runs, please start and close Notepad on %SERVER% twice.
set "ANSWER="
set /p "ANSWER=Begin? [y/N] "
if /i not "%ANSWER%"=="y" exit /b 1

mkdir "%OUT%" || exit /b 1
ver > "%OUT%\version.txt"
copy "%~dp0counters.txt" "%OUT%" > nul || exit /b 1
if "%HOW%"=="pktmon" pktmon start --capture --comp nics --pkt-size 0 --file-name "%OUT%\capture.etl" || exit /b 1
if "%HOW%"=="dumpcap" "%DUMPCAP%" -D
if "%HOW%"=="dumpcap" set /p "INTERFACE=Number of the interface that leads to %SERVER%: "
if "%HOW%"=="dumpcap" start "" /b "%DUMPCAP%" -q -i %INTERFACE% -s 0 -f "host %SERVER% or port 88" -a duration:180 -w "%OUT%\recording.pcapng"
ping -n 4 127.0.0.1 > nul

typeperf -cf "%OUT%\counters.txt" -s %SERVER% -si 1 -sc 60 -f CSV -o "%OUT%\typeperf.csv" -y > "%OUT%\typeperf.txt" 2>&1
powershell -NoProfile -ExecutionPolicy Bypass -File "%~dp0older-api.ps1" %SERVER% "%OUT%\older-api.csv" > "%OUT%\older-api.txt" 2>&1
logman query -s %SERVER% > "%OUT%\logman.txt" 2>&1

if "%HOW%"=="pktmon" pktmon stop
rem A pktmon that cannot do this leaves what etl2pcapng can.
if "%HOW%"=="pktmon" pktmon etl2pcap "%OUT%\capture.etl" --out "%OUT%\capture.pcapng" && del "%OUT%\capture.etl"
if "%HOW%"=="dumpcap" echo Waiting for the capture to end ...
rem dumpcap holds its file until then, and the name cannot be changed.
for /l %%i in (1,1,90) do if exist "%OUT%\recording.pcapng" (
    ping -n 4 127.0.0.1 > nul
    ren "%OUT%\recording.pcapng" capture.pcapng 2> nul
)
if not exist "%OUT%\capture.*" (
    echo Nothing was captured. Please look at what the capturing program says above.
    exit /b 1
)
if not exist "%OUT%\typeperf.csv" (
    echo typeperf wrote no values. It says:
    type "%OUT%\typeperf.txt"
)
powershell -NoProfile -Command "Get-ChildItem -LiteralPath $env:OUT | Compress-Archive -DestinationPath ($env:OUT + '.zip') -Force" || exit /b 1
echo Done: "%OUT%.zip". Thank you.
