export const TOUCHPOINT_CODE = /^[a-z0-9-]{3,64}$/;

export const TOUCHPOINT_CODE_RULE = 'A code has 3 to 64 of the characters a-z, 0-9 and -';
