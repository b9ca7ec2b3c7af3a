/** A number as a format of its own shows it. */
export interface FormattedNumber {
  readonly number: number;
  readonly format: string;
}
export interface SheetToWrite {
  readonly name: string;
  readonly rows: readonly (readonly (string | number | boolean | Date | FormattedNumber | null)[])[];
  readonly hidden?: boolean;
}
export function workbook(sheets: readonly SheetToWrite[]): Uint8Array;
export function rawWorkbook(xml: string): Uint8Array;
export function columnName(index: number): string;
