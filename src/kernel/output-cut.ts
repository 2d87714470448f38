/**
 * The type of a message of our own making among a cell's messages: something between the kernel and us has dropped output. What comes
 * before and after it is real; what is missing is gone. `content.reason` says in one clause who cut, and what would help.
 */
export const OUTPUT_CUT = "omp_output_cut";
