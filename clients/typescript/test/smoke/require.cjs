const { smoke } = require('./smoke.cjs');

smoke(require('consumer-service-client'));
