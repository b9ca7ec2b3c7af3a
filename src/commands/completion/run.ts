import type { Command, Option } from 'commander';
import type { Context } from '../../cli/context.ts';
import { printable } from '../../report/output.ts';
import { MARKETS } from '../../request/lead/markets.ts';
import type { Shell } from './flags.ts';

/** Prints the script with which a shell completes srq's commands. */
export async function completion(context: Context, shell: Shell): Promise<number> {
  const script = COMPLETION_SCRIPTS[shell];
  await (await context.reporter()).result('completion', { shell, script }, () => script, 'verbatim');
  return 0;
}

/** Answers a completion request of a shell. `count` is the number of words before the cursor's word. */
export async function complete(
  context: Context,
  program: Command,
  count: number,
  words: readonly string[],
): Promise<number> {
  const found = candidatesFor(program, words.slice(0, count), current(words[count]), await profileNames(context));
  const lines = found.words.map(({ word, description }) => `${word}\t${description}`);
  await (await context.reporter()).result(
    '__complete',
    found,
    () => [...lines, ...(found.files ? [':files'] : [])].join('\n'),
    'verbatim',
  );
  return 0;
}

/** Removes a lone `=`, because bash passes the `=` between an option and its value as a word. */
function current(word = ''): string {
  return word === '=' ? '' : word;
}

/**
 * Returns the names of the profiles that can be typed. A settings file that cannot be used is ignored, because other
 * commands report it.
 */
async function profileNames(context: Context): Promise<string[]> {
  try {
    return Object.keys((await context.profiles()).all()).filter((name) => printable(name) === name);
  } catch {
    return [];
  }
}

/** The candidates for the word at the cursor. */
interface Candidates {
  readonly words: readonly CompletionWord[];
  /** Whether file names fit as well. The shell completes those itself. */
  readonly files: boolean;
}

interface CompletionWord {
  readonly word: string;
  /** A single line of text, which may be empty. */
  readonly description: string;
}

const NONE: Candidates = { words: [], files: false };

/**
 * Returns the candidates for the word at the cursor. `before` are the words between `srq` and that word, and `current`
 * is the part of it that has been typed.
 */
export function candidatesFor(
  program: Command,
  before: readonly string[],
  current: string,
  profiles: readonly string[],
): Candidates {
  const { command, operands, awaiting } = read(program, before);
  const [, flag = '', typed] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (awaiting) return startingWith(current, valuesOf(awaiting.flags, awaiting, profiles));
  if (typed !== undefined) {
    const option = optionOf(command, flag);
    const values = option ? startingWith(typed, valuesOf(option.flags, option, profiles)).words : [];
    return { words: values.map(({ word, description }) => ({ word: `${flag}=${word}`, description })), files: false };
  }
  if (current.startsWith('-')) return startingWith(current, { words: optionWords(command), files: false });
  const argument =
    command.registeredArguments[operands] ?? command.registeredArguments.find(({ variadic }) => variadic);
  const values = argument ? valuesOf(`${command.name()} <${argument.name()}>`, argument, profiles) : NONE;
  const subcommands = operands === 0 ? visible(command).map(described) : [];
  return startingWith(current, { words: [...subcommands, ...values.words], files: values.files });
}

/** Finds the command that the words name, the number of its arguments so far, and the option whose value comes next. */
function read(program: Command, words: readonly string[]) {
  let command = program;
  let operands = 0;
  let awaiting: Option | null = null;
  for (const word of words) {
    // bash passes `--profile=x` as three words.
    if (word === '=') continue;
    if (awaiting) {
      awaiting = null;
    } else if (word.startsWith('-')) {
      const option = word.includes('=') ? undefined : optionOf(command, word);
      awaiting = option?.required ? option : null;
    } else {
      const next = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      command = next ?? command;
      operands = next ? 0 : operands + 1;
    }
  }
  return { command, operands, awaiting };
}

function optionOf(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === flag || short === flag);
  return own ?? (command.parent ? optionOf(command.parent, flag) : undefined);
}

function optionWords(command: Command): CompletionWord[] {
  const own = command.options.map(({ long, description }) => ({ word: long ?? '', description }));
  return [...own, ...(command.parent ? optionWords(command.parent) : [{ word: '--help', description: 'print help' }])];
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function described(command: Command): CompletionWord {
  return { word: command.name(), description: command.description() };
}

/** Returns the possible values of an option or argument, from its choices or from its name in the usage. */
function valuesOf(usage: string, { argChoices }: { argChoices?: string[] }, profiles: readonly string[]): Candidates {
  if (argChoices) return { words: argChoices.map((word) => ({ word, description: '' })), files: false };
  if (/^--profile |^(?:use|remove) </.test(usage)) {
    return { words: profiles.map((word) => ({ word, description: 'profile' })), files: false };
  }
  if (/^--(?:country|market) /.test(usage)) {
    return { words: MARKETS.map(({ code, name }) => ({ word: code, description: name })), files: false };
  }
  return /<files?>|<request>/.test(usage) ? { words: [], files: true } : NONE;
}

function startingWith(prefix: string, { words, files }: Candidates): Candidates {
  const wanted = prefix.toLowerCase();
  return { words: words.filter(({ word }) => word.toLowerCase().startsWith(wanted)), files };
}

/**
 * The completion scripts by shell. Each script runs `srq __complete COUNT -- WORDS`, where COUNT is the number of words
 * before the cursor's word. The words are passed unchanged and never evaluated. Each line of the answer is
 * `WORD<TAB>DESCRIPTION`, or `:files` if file names fit, which the shell completes itself.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of srq for bash. In ~/.bashrc: eval "$(srq completion bash)"
_srq() {
  local word IFS=$'\\n'
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("$word")
    fi
  done < <(srq __complete "$((COMP_CWORD - 1))" -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _srq srq`,
  zsh: `#compdef srq
# Completion of srq for zsh. In ~/.zshrc, after compinit: eval "$(srq completion zsh)"
_srq() {
  local line files=0
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(srq __complete $((CURRENT - 2)) -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe srq found
  (( files )) && _files
}
compdef _srq srq`,
  fish: `# Completion of srq for fish: srq completion fish > ~/.config/fish/completions/srq.fish
function __srq_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    for line in (srq __complete (math (count $before) - 1) -- $before[2..-1] "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c srq -f -a '(__srq_complete)'`,
  powershell: `# Completion of srq for PowerShell. In $PROFILE: srq completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName srq -ScriptBlock {
    param($current, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    $before = if ($current -eq '') { $words.Count } else { $words.Count - 1 }
    srq __complete $before -- @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
        $word, $text = $_ -split "\`t", 2
        if (-not $text) { $text = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $text)
    }
}`,
};
