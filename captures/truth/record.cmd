@echo off
rem SPDX-License-Identifier: GPL-2.0-or-later
rem
rem record.cmd SERVER: records the performance counters of SERVER twice for a minute, both as typeperf shows them and as
rem network traffic, and packs both into a zip. README.md says what it is for. Nobody has run it on Windows yet.
setlocal
set "SERVER=%~1"
if not defined SERVER (
    echo Usage: record.cmd SERVER
    echo SERVER: another Windows machine, on which the service Remote Registry is running.
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
    echo To capture, please install Wireshark, or run this as administrator on Windows 10 2004 or newer.
    exit /b 1
)
if exist "%OUT%" (
    echo "%OUT%" already exists. Please move it away.
    exit /b 1
)
for %%t in (typeperf logman powershell) do where %%t > nul 2>&1 || (
    echo This Windows does not have the program %%t.
    exit /b 1
)
typeperf "\System\Threads" -sc 1 2> nul | findstr /c:"(PDH-CSV" > nul || (
    echo typeperf does not know \System\Threads. It uses names in the language of Windows. Please use an English Windows.
    exit /b 1
)

echo For about three minutes, this records
echo   - the network traffic of this machine. With Wireshark: only Kerberos, and the traffic with %SERVER%. With pktmon: all of it.
echo   - the counters of %SERVER% listed in counters.txt, with typeperf, and then some of them over the older API.
echo   - the list of data collector sets of %SERVER%, with logman.
echo It changes nothing else on either machine. It writes "%OUT%.zip".
echo The zip contains the traffic as it was sent, encrypted or not, and the names of both machines, of your user, and of
echo the processes, disks and network adapters of %SERVER%. To decrypt the counters, we need the password of the user who
echo runs this, or a keytab. Please create an account for this, and delete it afterwards.
echo The capture must contain the logon. So log on just before, or run "klist purge", and connect no drive to %SERVER%.
echo While it runs, please start and close Notepad twice on %SERVER%.
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
    echo Nothing was captured. See the message of the capture program above.
    exit /b 1
)
if not exist "%OUT%\typeperf.csv" (
    echo typeperf wrote no values. Its message:
    type "%OUT%\typeperf.txt"
)
powershell -NoProfile -Command "Get-ChildItem -LiteralPath $env:OUT | Compress-Archive -DestinationPath ($env:OUT + '.zip') -Force" || exit /b 1
echo Done: "%OUT%.zip". Thank you.
