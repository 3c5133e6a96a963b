import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { Credential } from './credential.entity';

/** Keeps the passwords of consumers, as hashes. */
@Injectable()
export class CredentialsService {
  constructor(@InjectRepository(Credential) private readonly credentials: Repository<Credential>) {}

  async create(manager: EntityManager, consumerId: string, passwordHash: string): Promise<void> {
    await manager.insert(Credential, { consumerId, passwordHash });
  }

  find(consumerId: string): Promise<Credential | null> {
    return this.credentials.findOneBy({ consumerId });
  }

  /** Sets a new password, unless another change came first; tells which. */
  async change(manager: EntityManager, { consumerId, version }: Credential, passwordHash: string): Promise<boolean> {
    const { affected } = await manager.update(
      Credential,
      { consumerId, version },
      { passwordHash, version: version + 1 },
    );
    return affected === 1;
  }

  /** Replaces the hash of an unchanged password. */
  async renewHash(consumerId: string, version: number, passwordHash: string): Promise<void> {
    await this.credentials.update({ consumerId, version }, { passwordHash });
  }
}
