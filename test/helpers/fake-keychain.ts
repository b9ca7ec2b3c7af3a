import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The ways in which a machine's keychain can behave. The secret comes by standard input, the account as the last word. */
const BEHAVIOURS = {
  sound: `
    if (action === 'store') { all[account] = fs.readFileSync(0, 'utf8'); save(); }
    if (action === 'clear') { delete all[account]; save(); }
    if (action === 'lookup') { if (account in all) process.stdout.write(all[account]); else process.exit(1); }`,
  forgetful: "if (action === 'lookup') process.exit(1);",
  locked: 'for (;;);',
  absent: 'process.stderr.write("No \\u001b[31mkeychain\\nhere\\n"); process.exit(1);',
};

/**
 * Puts a `secret-tool` into a folder, which keeps secrets in a file beside itself, by account. Returns a PATH on which
 * it is found first.
 */
export function fakeKeychain(folder: string, behaviour: keyof typeof BEHAVIOURS): string {
  const code = `#!${process.execPath}
const fs = require('node:fs');
const file = ${JSON.stringify(join(folder, 'kept.json'))};
const all = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
const save = () => fs.writeFileSync(file, JSON.stringify(all));
const [action, account] = [process.argv[2], process.argv.at(-1)];
${BEHAVIOURS[behaviour]}
`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'secret-tool'), code, { mode: 0o755 });
  return `${folder}${delimiter}${process.env['PATH']}`;
}
