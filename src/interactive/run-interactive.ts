/**
 * `omp` at a terminal. The prompt is painted first; what it needs is opened behind it, and whatever was typed meanwhile runs then.
 * However the session ends, the terminal is as it was, and the last line says how to go on.
 */

import { version } from "../../package.json" with { type: "json" };
import { exitCodeOf } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import type { HeadlessOptions } from "../headless/headless.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { Pictures } from "../ui/images/pictures.ts";
import { Look } from "../ui/screen/look.ts";
import { startUi } from "../ui/screen/start.tsx";
import { initialState } from "../ui/store/state.ts";
import { Store } from "../ui/store/store.ts";
import { askedTerminal } from "../ui/terminal/ask-terminal.ts";
import { capabilitiesFrom } from "../ui/terminal/capabilities.ts";
import { Keyboard, keyProtocol } from "../ui/terminal/keyboard.ts";
import { TerminalTitle } from "../ui/terminal/terminal-title.ts";
import { commandRows, commandRunner } from "./commands.ts";
import { Conversation } from "./conversation.ts";
import { Ending } from "./ending.ts";
import { gitBranch } from "./git-branch.ts";
import { InputHistory } from "./input-history.ts";
import { readKeymap } from "./key-file.ts";
import { type OpenOptions, openSession, switchSession } from "./open-session.ts";
import { projectFiles } from "./project-files.ts";
import { Questions } from "./questions.ts";
import { uiSettings } from "./ui-settings.ts";

/** What runs is given this long to end when the user quits. */
const STOP_MS = 1_500;

export async function runInteractive(
  options: HeadlessOptions,
  io: CommandIo,
  place: Invocation,
): Promise<number> {
  const { stdout } = process;
  const terminal = askedTerminal({
    stdin: process.stdin,
    write: (text) => stdout.write(text),
    known: capabilitiesFrom(place.env, { isTerminal: true }),
    onChange: (known) => {
      look.learn(known);
      // An answer that comes late counts as well.
      if (hasKeyboard) takeKeyboard();
    },
  });
  let hasKeyboard = false;
  const takeKeyboard = () => keyboard.use(keyProtocol(terminal.known, place.env));
  const store = new Store(
    initialState({ columns: stdout.columns || 80, rows: stdout.rows || 24, cwd: shortened(place) }),
  );
  let settings = await uiSettings(place);
  const look: Look = new Look({ env: place.env, known: terminal.known, ui: settings, store });
  const isScreenReader =
    settings.screenReader || options.screenReader === true || terminal.known.isScreenReader;
  const pictures = new Pictures({
    stdout,
    settings: () => settings,
    isScreenReader,
    known: () => terminal.ask(),
    // Somebody else would read the answers.
    measured: () => (keyboard.isOurs ? terminal.askSize() : terminal.ask()),
    onRedrawn: (id, drawn) => store.dispatch({ type: "pictures", id, pictures: drawn }),
    onLeftBehind: () => store.dispatch({ type: "redraw_asked" }),
  });
  const questions = new Questions(store);
  const keyboard = new Keyboard((text) => stdout.write(text));
  const title = new TerminalTitle({
    write: (text) => stdout.write(text),
    cwd: place.cwd,
    env: place.env,
    settings: () => settings,
    version: () => terminal.known.version,
  });
  const ending = new Ending();
  const history = new InputHistory(place);
  const remember = async (text: string) => {
    const problem = await history.add(text);
    if (problem !== undefined) store.dispatch({ type: "told", tone: "warning", text: problem });
  };
  const conversation: Conversation = new Conversation({
    store,
    questions,
    commands: commandRows,
    runCommand: commandRunner(place, {
      look,
      adoptUi: async (changed) => {
        settings = changed;
        const hasRestyled = await pictures.restyle();
        if (!look.adopt(changed) && hasRestyled) store.dispatch({ type: "redraw_asked" });
      },
      showPager: async (output) => await ui.showPager(output),
      resume: async (id) => await switchSession(parts, id),
    }),
    onQuit: () => ending.end(0),
    remember: (text) => void remember(text),
    history: () => history.entries,
    findFiles: projectFiles(place, (isGoing) =>
      store.dispatch({ type: "task", what: "listing the project's files", isGoing }),
    ),
    pictures,
    suspend: async () => {
      const { suspendJob } = await import("./suspend.ts");
      title.restore();
      await suspendJob();
      title.set();
    },
    editExternally: async (text, signal) => {
      const { editExternally } = await import("./external-editor.ts");
      const { withoutReading } = await import("./let-go.ts");
      const edit = () => editExternally(text, { env: place.env, signal });
      return await ending.whileLent(() => withoutReading(process.stdin, edit));
    },
    onIdle: (durationMs) => {
      title.ended(durationMs);
      refresh(conversation, store, place);
    },
  });
  const parts: OpenOptions = { options, place, store, questions, conversation, pictures };
  store.dispatch({ type: "facts", facts: { branch: gitBranch(place.cwd) } });
  store.dispatch({ type: "answer", title: `omp ${version}`, text: "" });
  const { keymap, problems } = readKeymap(place);
  for (const text of problems) store.dispatch({ type: "told", tone: "warning", text });
  title.set();
  title.watchQuestions(store);
  const ui = startUi({
    store,
    actions: conversation,
    themes: look.themes,
    keymap,
    keyboard,
    isScreenReader,
    stdin: terminal.stdin,
    stdout: pictures.marks.stdout,
    reflow: () => terminal.known.reflow,
    erasePictures: () => pictures.marks.erased(),
    onCrash: (error) => ending.fail(error),
  });
  stdout.on("resize", pictures.resized);
  try {
    await ui.flushed();
    void terminal.ask().then(() => {
      hasKeyboard = true;
      takeKeyboard();
    });
    await history.load();
    if (options.prompt !== undefined) conversation.submit(options.prompt);
    const opening = openSession(parts);
    opening.catch((error: unknown) => ending.fail(error));
    const exitCode = await ending.reached;
    await conversation.stop(STOP_MS);
    await terminal.settled();
    await ui.stop();
    // One that is still being opened is waited for: it may have started something.
    const session = conversation.session ?? (await opening.catch(() => undefined));
    for (const line of (await session?.close()) ?? []) io.stderr(`${line}\n`);
    if (session?.sessionId !== undefined && session.agent.history.length > 0)
      io.stdout(`To go on: omp --resume ${session.sessionId}\n`);
    return report(ending, io) ?? exitCode;
  } finally {
    stdout.off("resize", pictures.resized);
    pictures.stop();
    await ui.stop();
    title.restore();
    ending.release();
  }
}

function report({ failure }: Ending, io: CommandIo): number | undefined {
  if (failure === undefined) return undefined;
  if (failure instanceof OmpError) {
    io.stderr(`${failure.message}\n`);
    return exitCodeOf(failure);
  }
  throw failure;
}

function refresh({ session }: Conversation, store: Store, place: Invocation): void {
  const shells = session?.services.shells.background() ?? [];
  store.dispatch({
    type: "facts",
    facts: {
      branch: gitBranch(place.cwd),
      backgroundShells: shells.filter(({ status }) => status === "running").length,
    },
  });
}

/** As people write it: `~` for their home. */
function shortened({ cwd, env }: Invocation): string {
  const home = env["HOME"];
  return home && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
}
