-- Operators may sign in with the company's OpenID Connect provider.
-- There are tens of operators, so this is done at once.
-- squawk-ignore-file constraint-missing-not-valid, disallowed-unique-constraint
ALTER TABLE operator
  -- The account at the provider; null: only by link so far.
  ADD COLUMN issuer text,
  ADD COLUMN subject text,
  ADD CONSTRAINT operator_account_check CHECK ((issuer IS NULL) = (subject IS NULL)),
  ADD CONSTRAINT operator_account_key UNIQUE (issuer, subject);
-- When the operator proved who they are, which may be before the session began; null: unknown.
ALTER TABLE operator_session ADD COLUMN authenticated_at timestamptz;
UPDATE operator_session SET authenticated_at = created_at;
