DROP TABLE known_address;
DROP TABLE login_attempt;
DROP TABLE session;
DROP TABLE credential;
DROP TABLE identifier;
