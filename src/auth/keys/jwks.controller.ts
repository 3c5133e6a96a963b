import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../platform/http/public.decorator';
import { JwkSetDto } from './jwks.dto';
import { JwtKeys } from './jwt-keys';

@ApiTags('Keys')
@Public()
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(private readonly keys: JwtKeys) {}

  // Shorter than the default overlap of `keys generate`, so that no backend misses a key that signs.
  @Get()
  @Header('Cache-Control', 'public, max-age=240')
  @ApiOperation({
    summary: 'The public keys of customer tokens',
    description:
      'For backends that verify tokens by themselves (RFC 7517): ES256, `typ` is `customer+jwt`, and `sub` is the customer id. Whether a session has been ended only the service knows. Fetch the keys again when a token names an unknown `kid`.',
  })
  @ApiOkResponse({
    type: JwkSetDto,
    description: 'A JWK Set.',
    headers: { 'Cache-Control': { required: true, schema: { type: 'string', example: 'public, max-age=240' } } },
  })
  keySet(): JwkSetDto {
    return this.keys.publicKeySet;
  }
}
