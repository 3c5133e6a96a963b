/**
 * For `ApiSchema`: the schema itself allows null, because generators cannot read a choice between a schema and null.
 */
export const NULLABLE = { nullable: true } as object;
