import { platform } from 'node:os';
import { resolve } from 'node:path';
import { shellWord } from '../../request/words/errors.ts';

/** Commands that hints about a log contain. A person pastes them into a POSIX shell, or into PowerShell on Windows. */
export interface ShellCommands {
  /** Returns the command that finds the processes which have the file open. */
  holders(path: string): string;
  /** Returns the command that lists all names of the file. */
  names(path: string): string;
  showLine(path: string, line: number): string;
  /** Returns the command that shows the file from the offset on, or at least its last line. */
  showEnd(path: string, offset: number): string;
  cut(path: string, bytes: number): string;
  remove(paths: readonly string[]): string;
}

const POSIX: ShellCommands = {
  holders: (path) => `lsof ${shellWord(path, 'posix')}`,
  names: (path) => `find / -xdev -samefile ${shellWord(path, 'posix')}`,
  showLine: (path, line) => `sed -n '${line}p' ${shellWord(path, 'posix')}`,
  showEnd: (path, offset) => `tail -c +${offset + 1} ${shellWord(path, 'posix')}`,
  cut: (path, bytes) => `truncate -s ${bytes} ${shellWord(path, 'posix')}`,
  remove: (paths) => `rm ${paths.map((each) => shellWord(each, 'posix')).join(' ')}`,
};

const WINDOWS: ShellCommands = {
  holders: () => 'resmon (CPU, Associated Handles)',
  names: (path) => `fsutil hardlink list ${shellWord(path, 'win32')}`,
  showLine: (path, line) => `Get-Content ${shellWord(path, 'win32')} | Select-Object -Index ${line - 1}`,
  showEnd: (path) => `Get-Content ${shellWord(path, 'win32')} -Tail 1`,
  // The path must be absolute, because .NET has its own current folder.
  cut: (path, bytes) =>
    `$log = [IO.File]::OpenWrite(${shellWord(resolve(path), 'win32')}); $log.SetLength(${bytes}); $log.Close()`,
  remove: (paths) => `del ${paths.map((each) => shellWord(each, 'win32')).join(', ')}`,
};

/** Returns the commands of this system's shell. */
export function shellCommands(system: string = platform()): ShellCommands {
  return system === 'win32' ? WINDOWS : POSIX;
}
