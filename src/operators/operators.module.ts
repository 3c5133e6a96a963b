import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { ExpiredRows } from '../platform/jobs/expired-rows';
import { OperatorSession } from './operator-session.entity';
import { OperatorSessions, SESSION_MS } from './operator-sessions.service';
import { Operator } from './operator.entity';
import { OperatorRepository } from './operator.repository';
import { OperatorsService } from './operators.service';
import { SentForms } from './sent-forms.service';
import { SignInLink } from './sign-in-link.entity';
import { SpentForm } from './spent-form.entity';

const DAY_MS = 86_400_000;

/**
 * Who may use the administration console: operators, their roles, one-time links and sessions. It does not know what
 * the console shows. Below stand `audit` and the platform, above the console and the command line. Owns the tables
 * `operator`, `sign_in_link`, `operator_session` and `spent_form`.
 */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([Operator, SignInLink, OperatorSession, SpentForm])],
  providers: [OperatorRepository, OperatorsService, OperatorSessions, SentForms],
  exports: [OperatorsService, OperatorSessions, SentForms],
})
export class OperatorsModule {
  constructor(expired: ExpiredRows) {
    expired.register(
      { table: 'sign_in_link', column: 'expires_at' },
      { table: 'operator_session', column: 'created_at', keepMs: SESSION_MS },
      { table: 'spent_form', column: 'spent_at', keepMs: DAY_MS },
    );
  }
}
