import { applyDecorators, Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiProblems } from '../platform/http/api-problems.decorator';
import { CountryDto, SubdivisionDto } from './reference.dto';
import { ReferenceService } from './reference.service';

const constant = (description: string, value: string) => ({
  description,
  required: true,
  schema: { type: 'string' as const, enum: [value] },
});

const cachingHeaders = {
  ETag: {
    description: 'Strong; the same on every replica',
    required: true,
    schema: { type: 'string', example: '"Wq3xR0v8JtB5mYc2ZkN7aLhD1fE"' },
  },
  'Cache-Control': constant('To be kept for a day', 'public, max-age=86400'),
  Vary: constant(
    'A shared cache keeps answers apart by these, so that nobody gets one without a credential',
    'X-Touchpoint-Code, X-Touchpoint-Key, Accept-Language',
  ),
} as const;

const localisedHeaders = {
  ...cachingHeaders,
  'Content-Language': {
    description: 'The language of the names',
    required: true,
    schema: { type: 'string', example: 'en' },
  },
} as const;

const ApiConditional = (headers: typeof cachingHeaders): MethodDecorator =>
  applyDecorators(
    ApiHeader({ name: 'If-None-Match', required: false, description: 'A list of ETags already held, or `*`' }),
    ApiResponse({ status: 304, description: 'Not changed since the given ETag; without a body', headers }),
  );

@ApiTags('Reference')
@Controller('api/v1/reference/countries')
export class ReferenceController {
  constructor(private readonly reference: ReferenceService) {}

  @Get()
  @ApiOperation({
    summary: 'List the countries of ISO 3166-1',
    description:
      'For forms, and for the `country` of an address. Send the `ETag` as `If-None-Match` next time: 304 has no body.',
  })
  @ApiHeader({ name: 'Accept-Language', required: false, description: 'Languages for the names; default English' })
  @ApiOkResponse({ type: [CountryDto], description: 'All countries, sorted by code', headers: localisedHeaders })
  @ApiConditional(localisedHeaders)
  countries(@Req() request: Request, @Res() response: Response): void {
    this.reference.countries(request.headers['accept-language']).send(request, response);
  }

  @Get(':country_code/subdivisions')
  @ApiOperation({
    summary: 'List the subdivisions of a country, of ISO 3166-2',
    description: 'For forms, and for the `subdivision` of an address: all levels, states and provinces alike.',
  })
  @ApiParam({ name: 'country_code', example: 'DE', description: 'ISO 3166-1 alpha-2 code, in upper or lower case' })
  @ApiOkResponse({
    type: [SubdivisionDto],
    description: 'All subdivisions, sorted by code; an empty list for a country without any',
    headers: cachingHeaders,
  })
  @ApiConditional(cachingHeaders)
  @ApiProblems('COUNTRY_NOT_FOUND')
  subdivisions(@Param('country_code') countryCode: string, @Req() request: Request, @Res() response: Response): void {
    this.reference.subdivisions(countryCode).send(request, response);
  }
}
