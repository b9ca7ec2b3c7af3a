import type { Diagnosis } from '../model/diagnosis.ts';

const MARK = '"srqDoctorReport"';

/** Returns a diagnosis as a JSON report that can be mailed. Its steps name hosts and the client id, but never a secret. */
export function doctorReport(diagnosis: Diagnosis, surroundings: Readonly<Record<string, string | null>>): string {
  return `${JSON.stringify({ srqDoctorReport: 1, ...surroundings, ...diagnosis }, null, 2)}\n`;
}

/** Returns true if the beginning of a file shows that it is a doctor report. */
export function isDoctorReport(head: string): boolean {
  return head.slice(0, 100).includes(MARK);
}
