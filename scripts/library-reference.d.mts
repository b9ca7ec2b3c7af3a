export function withReference(page: string): string;
