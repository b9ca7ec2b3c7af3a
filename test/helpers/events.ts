import { expect } from 'vitest';
import type { DocumentOf } from '../../src/request/documents/types.ts';
import { requireDocument } from '../doors/documents.ts';

export type Event = DocumentOf<'events'>;
type Named<Name extends Event['event']> = Extract<Event, { event: Name }>;

/** Returns the events in a text, and expects each to match `srq schema events`. */
export function eventsIn(text: string): Event[] {
  expect(text.endsWith('\n')).toBe(true);
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const event of events) requireDocument('events', event);
  return events;
}

export const only = <Name extends Event['event']>(events: readonly Event[], name: Name) =>
  events.filter((each): each is Named<Name> => each.event === name);
