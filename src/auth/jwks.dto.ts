import { ApiProperty } from '../platform/openapi';
import type { PublicJwk } from './private-jwk';

/** A public key of customer tokens (RFC 7517). */
class PublicJwkDto implements PublicJwk {
  @ApiProperty({ enum: ['EC'] })
  kty: 'EC';

  @ApiProperty({ enum: ['P-256'] })
  crv: 'P-256';

  @ApiProperty({ example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU' })
  x: string;

  @ApiProperty({ example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' })
  y: string;

  @ApiProperty({
    description: 'What the header of a token names.',
    example: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
  })
  kid: string;

  @ApiProperty({ enum: ['ES256'] })
  alg: 'ES256';

  @ApiProperty({ enum: ['sig'] })
  use: 'sig';
}

export class JwkSetDto {
  @ApiProperty({ type: [PublicJwkDto] })
  keys: PublicJwk[];
}
