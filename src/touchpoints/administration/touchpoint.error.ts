/** A refusal that the administrator reads as one line. */
export class TouchpointError extends Error {}
