/** What kind of file some bytes are, by how they start. */

interface Signature {
  readonly type: string;
  /** Latin-1: one character a byte. */
  readonly start: string;
  /** A second mark, for containers that share their first bytes. */
  readonly also?: { readonly at: number; readonly bytes: string };
}

const signatures: readonly Signature[] = [
  { type: "image/png", start: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", start: "\xff\xd8\xff" },
  { type: "image/gif", start: "GIF87a" },
  { type: "image/gif", start: "GIF89a" },
  { type: "image/webp", start: "RIFF", also: { at: 8, bytes: "WEBP" } },
  { type: "audio/wav", start: "RIFF", also: { at: 8, bytes: "WAVE" } },
  { type: "video/x-msvideo", start: "RIFF", also: { at: 8, bytes: "AVI " } },
  { type: "image/tiff", start: "II*\0" },
  { type: "image/tiff", start: "MM\0*" },
  { type: "application/pdf", start: "%PDF-" },
  { type: "application/zip", start: "PK\x03\x04" },
  { type: "application/zip", start: "PK\x05\x06" },
  { type: "application/gzip", start: "\x1f\x8b\x08" },
  { type: "application/x-bzip2", start: "BZh", also: { at: 4, bytes: "1AY&SY" } },
  { type: "application/x-xz", start: "\xfd7zXZ\0" },
  { type: "application/zstd", start: "(\xb5/\xfd" },
  { type: "application/x-7z-compressed", start: "7z\xbc\xaf\x27\x1c" },
  { type: "application/x-elf", start: "\x7fELF" },
  { type: "application/x-mach-binary", start: "\xcf\xfa\xed\xfe" },
  { type: "application/java-vm", start: "\xca\xfe\xba\xbe" },
  { type: "application/wasm", start: "\0asm" },
  { type: "application/vnd.sqlite3", start: "SQLite format 3\0" },
  { type: "application/vnd.apache.parquet", start: "PAR1" },
  { type: "application/vnd.apache.arrow.file", start: "ARROW1\0\0" },
  { type: "application/x-hdf5", start: "\x89HDF\r\n\x1a\n" },
  { type: "application/x-numpy", start: "\x93NUMPY" },
  { type: "audio/ogg", start: "OggS\0" },
  { type: "audio/mpeg", start: "ID3" },
  { type: "audio/flac", start: "fLaC" },
  { type: "font/woff2", start: "wOF2" },
  { type: "text/plain; charset=utf-16le", start: "\xff\xfe" },
  { type: "text/plain; charset=utf-16be", start: "\xfe\xff" },
];

/** No signature in the table is longer. */
const LONGEST = 32;

const firstBytes = new Set(signatures.map(({ start }) => start.charCodeAt(0)));

export const UNKNOWN_BINARY = "application/octet-stream";

export interface SniffedType {
  readonly name: string;
  /** False for a mark so short that text with a stray byte may begin with it, too. */
  readonly sure: boolean;
}

/** The type that the bytes begin with, or `undefined`. */
export function sniffType(bytes: Uint8Array): SniffedType | undefined {
  const start = Buffer.from(bytes.subarray(0, LONGEST)).toString("latin1");
  for (const signature of signatures) {
    if (!start.startsWith(signature.start)) continue;
    if (signature.also === undefined || start.startsWith(signature.also.bytes, signature.also.at))
      return { name: signature.type, sure: signature.start.length > 2 };
  }
  // ISO media (mp4, mov, heic) begin with the length of their first box.
  return start.startsWith("ftyp", 4) ? { name: "video/mp4", sure: true } : undefined;
}

/** Whether what begins at `at` may turn out to be a known type once there are more bytes. */
export function mayBecomeMagic(bytes: Uint8Array, at: number): boolean {
  // Asked of many lines, and nearly always answered by their first byte.
  if (!firstBytes.has(bytes[at] ?? -1)) return false;
  const start = Buffer.from(bytes.subarray(at, at + LONGEST)).toString("latin1");
  return signatures.some((signature) =>
    start.length < signature.start.length
      ? signature.start.startsWith(start)
      : start.startsWith(signature.start),
  );
}
