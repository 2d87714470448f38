/** The name of a file as Python can write it: `2024 sales.csv` is `omp.inputs.file_2024_sales_csv`. */

const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
  lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);
const MAX_CHARS = 60;

export function inputName(fileName: string): string {
  const plain = fileName
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
  const name = /^\p{L}/u.test(plain) ? plain : `file_${plain}`.replace(/_$/, "");
  const short = [...name].slice(0, MAX_CHARS).join("");
  return KEYWORDS.has(short) ? `${short}_` : short;
}
