const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of a row; the database would refuse any other. */
export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text);
