/**
 * The system calls that no program in a sandbox gets, as a filter that the kernel runs (seccomp, classic BPF). Namespaces cover nearly
 * everything; this is for what has none: sockets to the machine below a virtual one, key rings, typing into a terminal; and for calls
 * that do the work of others out of the filter's sight (io_uring).
 */

interface Numbers {
  /** As the kernel names the architecture in audits. */
  readonly architecture: number;
  readonly socket: number;
  readonly ioctl: number;
  /** key rings, open_by_handle_at, perf_event_open, bpf, userfaultfd, modules, kexec */
  readonly refused: readonly number[];
}

const machines: Readonly<Record<string, Numbers>> = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    ioctl: 16,
    refused: [248, 249, 250, 304, 298, 321, 323, 175, 313, 246, 320],
  },
  arm64: {
    architecture: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    refused: [217, 218, 219, 265, 241, 280, 282, 105, 273, 104, 294],
  },
};

/** Programs take it for a kernel without it, and do without. */
const IO_URING = [425, 426, 427];
/** Unix, IPv4, IPv6 and netlink. */
const FAMILIES = [1, 2, 10, 16];
/** TIOCSTI, TIOCLINUX */
const TYPING = [0x5412, 0x541c];
/** Above this, x86 counts a second set of the same calls. */
const SECOND_SET = 0x40000000;

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24];
const ALLOW = 0x7fff0000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

type Instruction = readonly [code: number, onTrue: number, onFalse: number, value: number];

const fail = (error: number): Instruction => [RETURN, 0, 0, 0x00050000 | error];
const allow: Instruction = [RETURN, 0, 0, ALLOW];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];

/** The instructions run only when the value is this one. */
function when(value: number, then: readonly Instruction[]): Instruction[] {
  return [[EQUAL, 0, then.length, value], ...then];
}

/** Undefined for a machine whose numbers are not known here. */
export function syscallFilter(machine: string = process.arch): Uint8Array | undefined {
  const numbers = machines[machine];
  if (numbers === undefined) return undefined;
  const { architecture, socket, ioctl, refused } = numbers;
  return assemble([
    load(ARCHITECTURE),
    // 32-bit programs count their calls differently.
    ...[[EQUAL, 1, 0, architecture] as const, fail(EPERM)],
    load(NUMBER),
    ...[[AT_LEAST, 0, 1, SECOND_SET] as const, fail(EPERM)],
    ...refused.flatMap((number) => when(number, [fail(EPERM)])),
    ...IO_URING.flatMap((number) => when(number, [fail(ENOSYS)])),
    ...when(socket, [
      load(FIRST_ARGUMENT),
      ...FAMILIES.flatMap((family) => when(family, [allow])),
      fail(EAFNOSUPPORT),
    ]),
    ...when(ioctl, [
      load(SECOND_ARGUMENT),
      ...TYPING.flatMap((request) => when(request, [fail(EPERM)])),
      allow,
    ]),
    allow,
  ]);
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, onTrue, onFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(onTrue, index * 8 + 2);
    bytes.writeUInt8(onFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
