import { ApiProperty } from '@nestjs/swagger';

export const Points = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', description, example });

export const Moment = (description: string, example: string): PropertyDecorator =>
  ApiProperty({ format: 'date-time', description, example });
