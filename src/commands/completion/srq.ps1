# Completion of srq for PowerShell. In $PROFILE: srq completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName srq -ScriptBlock {
    param($current, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    $before = if ($current -eq '') { $words.Count } else { $words.Count - 1 }
    srq __complete $before -- @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
        $word, $text = $_ -split "`t", 2
        if (-not $text) { $text = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $text)
    }
}
