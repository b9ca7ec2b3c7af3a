import { join } from 'node:path';
import { expect } from 'vitest';
import { bindMount, bindMountIsMissing } from '../helpers/bind-mount.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';

test.skipIf(bindMountIsMissing !== null)(
  `results go beside a file that is open elsewhere${bindMountIsMissing === null ? '' : ` (${bindMountIsMissing})`}`,
  async ({ desk }) => {
    desk.write('leads.csv', leadsCsv(2));
    desk.write('open', '');
    // The system refuses with EBUSY to replace what is mounted.
    const unmount = bindMount(join(desk.work, 'open'), join(desk.work, 'leads.sandbox.results.csv'));
    const { code, stderr, stdout } = await desk.run('bulk', 'leads.csv', '--sandbox', '--yes').finally(unmount);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'leads.sandbox.results.csv is open in another program, such as Excel, so it is kept; the results go to leads.sandbox.results-2.csv.',
    );
    expect(stdout).toContain('leads.sandbox.results-2.csv');
    expect(desk.read('leads.sandbox.results-2.csv')).toContain(',created,');
  },
);
