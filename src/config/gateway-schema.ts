/** The setting `gateways`: Jupyter servers that can host kernels. */

import * as z from "zod";

const text = z.string().min(1);

export const kernelSpecName = z.string().regex(/^[A-Za-z0-9._-]+$/);

/** The descriptions follow "must be" in error messages. */
const gateway = z.strictObject({
  name: z
    .string()
    .regex(/^(?!local$)[a-z0-9_-]+$/)
    .describe("a unique name of lower-case letters, digits, - and _, other than `local`"),
  url: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/)
    .describe("an http:// or https:// address without a password, query string or token"),
  tokenEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .optional()
    .describe("the name of the variable that holds the token"),
  token: text.optional().describe("a non-empty string"),
  caFile: text.optional().describe("the path of a file with certificates (PEM)"),
  kernelSpec: kernelSpecName.optional().describe("the name of a kernelspec"),
  env: z
    .record(z.string().regex(/^KERNEL_[A-Z0-9_]+$/), z.string())
    .optional()
    .describe("an object of strings whose names start with KERNEL_"),
});

export const gateways = z
  .array(gateway)
  .superRefine((list, context) => {
    const names = list.map((each) => each.name);
    const duplicate = names.findIndex((each, index) => names.indexOf(each) < index);
    if (duplicate !== -1) context.addIssue({ code: "custom", path: [duplicate, "name"] });
  })
  .readonly();
