DROP TABLE used_assertion;
DROP TABLE external_identity;
DROP TABLE identity_provider;
