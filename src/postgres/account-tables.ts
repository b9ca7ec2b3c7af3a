import type { Migration } from './migration.ts';

/**
 * What the processes of one account share: pace, breaker, what validate has shown, the token (encrypted). Small, and changed
 * many times a second: there is room on the page for many versions of a row, and what is dead goes soon.
 */
export const ACCOUNT_TABLES: Migration = {
  number: 2,
  name: 'account',
  sql: `
create table srq.account (
  -- A digest of base URL and client id.
  account uuid not null,
  name text not null,
  kept text,
  primary key (account, name)
) with (fillfactor = 10, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
`,
};
