/** 1234567 as 1,234,567. By hand, because loading the locale tables costs more than the rest of a small command. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
