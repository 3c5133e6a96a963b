import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { PublicJwk } from './private-jwk';

/** A public key of customer tokens (RFC 7517). */
@ApiSchema({ description: 'A public key that verifies customer tokens (RFC 7517): an elliptic curve key on P-256.' })
class PublicJwkDto implements PublicJwk {
  @ApiProperty({ enum: ['EC'], description: 'The type of the key.' })
  kty: 'EC';

  @ApiProperty({ enum: ['P-256'], description: 'The curve.' })
  crv: 'P-256';

  @ApiProperty({
    example: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    description: 'The first coordinate of the key: 32 bytes in base64url.',
    pattern: '^[A-Za-z0-9_-]{43}$',
  })
  x: string;

  @ApiProperty({
    example: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    description: 'The second coordinate of the key: 32 bytes in base64url.',
    pattern: '^[A-Za-z0-9_-]{43}$',
  })
  y: string;

  @ApiProperty({
    description: 'What the header of a token names.',
    example: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
    minLength: 1,
  })
  kid: string;

  @ApiProperty({ enum: ['ES256'], description: 'The algorithm of the signatures.' })
  alg: 'ES256';

  @ApiProperty({ enum: ['sig'], description: 'What the key is for: signatures.' })
  use: 'sig';
}

@ApiSchema({
  description:
    'The public keys of customer tokens (RFC 7517). Read them again when a token names a `kid` that is not among them.',
})
export class JwkSetDto {
  @ApiProperty({ type: [PublicJwkDto], description: 'Those that sign or have signed tokens which are still valid.' })
  keys: PublicJwk[];
}
