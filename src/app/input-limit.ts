/** More than this does not go into a prompt: it is an input of the session. */
export const MAX_PROMPT_BYTES = 32_768;
