import { Option } from 'commander';

/** The examples that end a command's help. */
export function examples(...lines: readonly string[]): string {
  return ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** An option that few need: only `srq help COMMAND --all` shows it. */
export function rare(flags: string, description: string): Option {
  return new Option(flags, description).hideHelp();
}
