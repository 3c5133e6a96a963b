ALTER TABLE touchpoint DROP COLUMN sms_countries;
DROP TABLE send_allowance;
