import type { Diagnosis } from '../model/diagnosis.ts';

const MARK = '"srqDoctorReport"';

/** A diagnosis as JSON to be mailed. Steps name hosts and the client id, never a secret. */
export function doctorReport(diagnosis: Diagnosis, surroundings: Readonly<Record<string, string | null>>): string {
  return `${JSON.stringify({ srqDoctorReport: 1, ...surroundings, ...diagnosis }, null, 2)}\n`;
}

/** Whether a file that begins so is such a report. */
export function isDoctorReport(head: string): boolean {
  return head.slice(0, 100).includes(MARK);
}
