import type { DeliveryLog } from '../../src/request/ports.ts';

/** The log of a process to whom a store is far away: it knows of a request only what it has waited for. */
export interface RemoteLog extends DeliveryLog {
  /** Number of times that it asked the store for the states of requests. */
  readonly trips: () => number;
}

/** Puts this log into a store that is far away. Who looks something up before it is there is told so by an error. */
export function remoteLog(log: DeliveryLog): RemoteLog {
  const known = new Set<string>();
  let trips = 0;
  const arrival = () => Promise.resolve();
  return {
    run: log.run,
    writeLeaseMs: log.writeLeaseMs,
    nowMs: () => log.nowMs(),
    trips: () => trips,
    prefetch: async (keys) => {
      trips += 1;
      await arrival();
      for (const key of keys) known.add(key);
    },
    lookup: (key) => {
      if (!known.has(key)) throw new Error(`${key} was looked up before it was there.`);
      return log.lookup(key);
    },
    read: async (key) => {
      await arrival();
      return log.read(key);
    },
    mayBeUnderWay: async (key) => {
      await arrival();
      return log.mayBeUnderWay(key);
    },
    sending: async (subject, ...given) => {
      await arrival();
      known.add(subject.key);
      return log.sending(subject, ...given);
    },
    outcome: async (subject, ...given) => {
      await arrival();
      return log.outcome(subject, ...given);
    },
    licence: async (subject, ...given) => {
      await arrival();
      return log.licence(subject, ...given);
    },
  };
}
