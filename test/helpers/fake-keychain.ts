import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Puts a `secret-tool` into a folder, which keeps secrets in a file beside itself, by account: the last word. The secret
 * comes by standard input. Returns a PATH on which it is found first.
 */
export function fakeKeychain(folder: string): string {
  const code = `#!${process.execPath}
const fs = require('node:fs');
const file = ${JSON.stringify(join(folder, 'kept.json'))};
const all = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
const [action, account] = [process.argv[2], process.argv.at(-1)];
if (action === 'store') fs.writeFileSync(file, JSON.stringify({ ...all, [account]: fs.readFileSync(0, 'utf8') }));
else if (account in all) process.stdout.write(all[account]);
else process.exit(1);
`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'secret-tool'), code, { mode: 0o755 });
  return `${folder}${delimiter}${process.env['PATH']}`;
}
