import type * as Swagger from '@nestjs/swagger';

type Statement = (swagger: typeof Swagger) => void;
type DecoratorName = {
  [Name in keyof typeof Swagger]: Name extends `Api${string}` ? Name : never;
}[keyof typeof Swagger];

/** In the order of the code, which is that of the document. */
let statements: Statement[] = [];

/** The decorator of this name, applied when the document is made: loading its package took a seventh of the service's start. */
const deferred = <Name extends DecoratorName>(name: Name) =>
  ((...options: never[]) =>
    (...target: never[]) => {
      statements.push((swagger) => {
        const decorator = swagger[name] as (...options: never[]) => (...target: never[]) => void;
        decorator(...options)(...target);
      });
    }) as (typeof Swagger)[Name];

export const ApiAcceptedResponse = deferred('ApiAcceptedResponse');
export const ApiBearerAuth = deferred('ApiBearerAuth');
export const ApiBody = deferred('ApiBody');
export const ApiConsumes = deferred('ApiConsumes');
export const ApiCreatedResponse = deferred('ApiCreatedResponse');
export const ApiExcludeController = deferred('ApiExcludeController');
export const ApiExtension = deferred('ApiExtension');
export const ApiHeader = deferred('ApiHeader');
export const ApiNoContentResponse = deferred('ApiNoContentResponse');
export const ApiOkResponse = deferred('ApiOkResponse');
export const ApiOperation = deferred('ApiOperation');
export const ApiParam = deferred('ApiParam');
export const ApiProperty = deferred('ApiProperty');
export const ApiPropertyOptional = deferred('ApiPropertyOptional');
export const ApiQuery = deferred('ApiQuery');
export const ApiResponse = deferred('ApiResponse');
export const ApiSchema = deferred('ApiSchema');
export const ApiTags = deferred('ApiTags');

/** For `ApiSchema`: null stands for nothing wherever the schema is named, since generators cannot read a choice between it and null. */
export const NULLABLE = { nullable: true } as object;

/** `@nestjs/swagger`, which knows then what these decorators said. */
export async function loadSwagger(): Promise<typeof Swagger> {
  const swagger = await import('@nestjs/swagger');
  const said = statements;
  statements = [];
  for (const state of said) state(swagger);
  return swagger;
}
