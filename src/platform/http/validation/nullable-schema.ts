/** For `ApiSchema`: null stands for nothing wherever the schema is named, since generators cannot read a choice between it and null. */
export const NULLABLE = { nullable: true } as object;
