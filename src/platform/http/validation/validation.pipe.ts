import { type ArgumentMetadata, Body, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { Draft, draftOf } from './validation';

/** Turns the body into the class that the handler names; a handler without a class gets the body unchanged. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || !metatype || metatype === Object || metatype === Draft) return value;
    return draftOf(metatype as new () => object, value).accept();
  }
}

/** The body as a `Draft` of this class, for a handler whose service adds further violations to those of the fields. */
export const BodyDraft = <T extends object>(Dto: Type<T>): ParameterDecorator =>
  Body({ transform: (body: unknown) => draftOf(Dto, body) });
