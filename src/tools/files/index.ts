/** The file tools of one session. They share what the session has seen of each file. */

import type { Tool } from "../../protocol/index.ts";
import { editTool } from "./edit.ts";
import type { FileServices, FileToolOptions } from "./file-services.ts";
import { findTool } from "./find.ts";
import { FileFreshness } from "./freshness.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

export type { FileToolOptions } from "./file-services.ts";

export function fileTools(options: FileToolOptions): Tool[] {
  const services: FileServices = { ...options, freshness: new FileFreshness() };
  return [
    readTool(services),
    writeTool(services),
    editTool(services),
    grepTool(services),
    findTool(services),
    lsTool(services),
  ];
}
