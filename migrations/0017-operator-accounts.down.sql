ALTER TABLE operator_session DROP COLUMN authenticated_at;
ALTER TABLE operator
  DROP CONSTRAINT operator_account_key,
  DROP CONSTRAINT operator_account_check,
  DROP COLUMN subject,
  DROP COLUMN issuer;
