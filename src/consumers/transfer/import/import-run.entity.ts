import { Column, Entity, PrimaryColumn } from 'typeorm';

/** No file is larger than 2^53 bytes. */
const wholeNumber = { from: Number, to: (value: unknown) => value };

/** How far the import of a file has come. */
@Entity()
export class ImportRun {
  /** SHA-256 of the file's content; of a foreign format, of how it is read and of that digest. */
  @PrimaryColumn({ type: 'bytea' })
  fileDigest: Buffer;

  @Column({ type: 'bigint', transformer: wholeNumber })
  bytesDone: number;

  @Column({ type: 'bigint', transformer: wholeNumber })
  linesDone: number;

  @Column({ type: 'bigint', transformer: wholeNumber })
  imported: number;

  @Column({ type: 'bigint', transformer: wholeNumber })
  refused: number;

  @Column({ type: 'timestamptz' })
  startedAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  finishedAt: Date | null;
}
