import type { Context } from '../../cli/context.ts';
import { commandOf, longName, placeholder, within } from '../../cli/table/commands.ts';
import type { Flags } from '../../cli/table/flags.ts';
import { EVERYWHERE } from '../../cli/table/options.ts';
import type { ArgumentRow } from '../../cli/table/row.ts';
import type { SHELLS } from '../../cli/table/surroundings.ts';
import { printable } from '../../report/output.ts';
import { MARKETS } from '../../request/lead/markets.ts';

type Shell = (typeof SHELLS)[number];

/** Prints the script with which a shell completes srq's commands. */
export async function completion(context: Context, shell: Shell): Promise<number> {
  const script = COMPLETION_SCRIPTS[shell];
  await (await context.reporter()).result('completion', { shell, script }, () => script, 'verbatim');
  return 0;
}

/** Answers a completion request of a shell. `count` is the number of words before the cursor's word. */
export async function complete(context: Context, count: string, words: readonly string[]): Promise<number> {
  const before = words.slice(0, Number(count));
  // bash passes the `=` between an option and its value as a word.
  const [current = ''] = words.slice(before.length).map((word) => (word === '=' ? '' : word));
  const found = candidatesFor(before, current, await profileNames(context));
  const lines = found.words.map(({ word, description }) => `${word}\t${description}`);
  await (await context.reporter()).result(
    '__complete',
    found,
    () => [...lines, ...(found.files ? [':files'] : [])].join('\n'),
    'verbatim',
  );
  return 0;
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
  readonly words: readonly { readonly word: string; readonly description: string }[];
  /** Whether file names fit as well. The shell completes those itself. */
  readonly files: boolean;
}

const NONE: Candidates = { words: [], files: false };

/** What may have a value: a flag by its key, or an argument by its name. */
interface Valued {
  readonly key: string;
  readonly value: string;
  readonly choices?: readonly string[] | undefined;
}

/** Returns the candidates for the word at the cursor. `current` is the part that has been typed. */
function candidatesFor(before: readonly string[], current: string, profiles: readonly string[]): Candidates {
  const { path, operands, awaiting } = read(before);
  if (awaiting) return startingWith(current, valuesOf(awaiting, profiles));
  if (current.startsWith('-')) return startingWith(current, { words: optionWords(path), files: false });
  const args = commandOf(path)?.args ?? [];
  const argument = args[operands] ?? args.find((each) => placeholder(each.name).isRepeatable);
  const values = argument ? valuesOf(valued(argument), profiles) : NONE;
  return startingWith(current, { ...values, words: [...(operands === 0 ? wordsBelow(path) : []), ...values.words] });
}

function valued({ name, choices, isProfile }: ArgumentRow): Valued {
  return { key: isProfile ? 'profile' : placeholder(name).bare, value: name, choices };
}

/** Finds the command that the words name, the number of its arguments so far, and the flag whose value comes next. */
function read(words: readonly string[]) {
  let path: readonly string[] = [];
  let operands = 0;
  let awaiting: Valued | null = null;
  for (const word of words) {
    // bash passes `--profile=x` as three words.
    if (word === '=') continue;
    if (awaiting) awaiting = null;
    else if (word.startsWith('-')) awaiting = flagNamed(path, word);
    else {
      const next = [...path, word];
      const isCommand = operands === 0 && commandOf(next) !== undefined;
      path = isCommand ? next : path;
      operands = isCommand ? 0 : operands + 1;
    }
  }
  return { path, operands, awaiting };
}

const flagsOf = (path: readonly string[]): Flags => ({ ...EVERYWHERE, ...commandOf(path)?.flags });

/** Finds a flag that must have a value. */
function flagNamed(path: readonly string[], word: string): Valued | null {
  const found = Object.entries(flagsOf(path)).find(
    ([key, flag]) => longName(key, flag) === word || flag.short === word,
  );
  if (!found?.[1].value || placeholder(found[1].value).isOptional) return null;
  const [key, { value, choices }] = found;
  return { key, value, choices };
}

function optionWords(path: readonly string[]): Candidates['words'] {
  const own = Object.entries({ ...commandOf(path)?.flags, ...EVERYWHERE });
  const words = own.map(([key, flag]) => ({ word: longName(key, flag), description: flag.about }));
  return [...words, { word: '--help', description: 'print help' }];
}

function wordsBelow(path: readonly string[]): Candidates['words'] {
  const next = within(path).filter(([words, { isHidden }]) => !isHidden && words.split(' ').length === path.length + 1);
  return next.map(([words, { about }]) => ({ word: words.split(' ').at(-1) ?? '', description: about }));
}

/** Returns the possible values of a flag or an argument. */
function valuesOf({ key, value, choices }: Valued, profiles: readonly string[]): Candidates {
  const plain = (words: readonly string[], description: string) => words.map((word) => ({ word, description }));
  if (choices) return { words: plain(choices, ''), files: false };
  if (key === 'profile') return { words: plain(profiles, 'profile'), files: false };
  if (key === 'country' || key === 'market')
    return { words: MARKETS.map(({ code, name }) => ({ word: code, description: name })), files: false };
  return { words: [], files: /^files?$/.test(placeholder(value).bare) };
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
