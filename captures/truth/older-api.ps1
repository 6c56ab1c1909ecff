# SPDX-License-Identifier: GPL-2.0-or-later
#
# older-api.ps1 SERVER FILE: some counters by the older API, which .NET's PerformanceCounter uses, in typeperf's format.
param($server, $file)
$counters = @(
    'Processor|% Processor Time|_Total', 'Processor|Interrupts/sec|_Total', 'System|System Up Time|',
    'System|Context Switches/sec|', 'System|File Read Bytes/sec|', 'System|Threads|', 'Memory|Available Bytes|',
    'Memory|% Committed Bytes In Use|', 'Memory|Pages/sec|', 'PhysicalDisk|% Disk Time|_Total',
    'PhysicalDisk|Avg. Disk sec/Transfer|_Total', 'LogicalDisk|% Free Space|_Total', 'Process|Elapsed Time|Idle'
) | ForEach-Object {
    $set, $counter, $instance = $_.Split('|')
    New-Object Diagnostics.PerformanceCounter $set, $counter, $instance, $server
}
$invariant = [Globalization.CultureInfo]::InvariantCulture
$cells = @('(PDH-CSV 4.0) (UTC)(0)') + ($counters | ForEach-Object {
    $instance = if ($_.InstanceName) { "($($_.InstanceName))" }
    "\\$server\$($_.CategoryName)$instance\$($_.CounterName)"
})
'"' + ($cells -join '","') + '"' | Out-File $file -Encoding ascii
1..20 | ForEach-Object {
    $values = $counters | ForEach-Object { try { $_.NextValue().ToString('R', $invariant) } catch { ' ' } }
    $cells = @([datetime]::UtcNow.ToString('MM/dd/yyyy HH:mm:ss.fff', $invariant)) + $values
    '"' + ($cells -join '","') + '"' | Out-File $file -Encoding ascii -Append
    Start-Sleep 1
}
