BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE decisions (
	experiment VARCHAR(100) NOT NULL, 
	turn INTEGER NOT NULL, 
	time VARCHAR(40), 
	arm VARCHAR(100) NOT NULL, 
	probability FLOAT NOT NULL, 
	exploited BOOLEAN NOT NULL, 
	level FLOAT NOT NULL, 
	forecast_version INTEGER NOT NULL, 
	decided_at VARCHAR(40) NOT NULL, 
	reward FLOAT, 
	visitors FLOAT, 
	PRIMARY KEY (experiment, turn), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
)
 WITHOUT ROWID

;
INSERT INTO "decisions" VALUES('chance',1,'2026-11-01','9.99',1.0,0,1.0,1,'2026-11-03T12:00:00.000000+00:00',249.75,90.0);
INSERT INTO "decisions" VALUES('chance',2,'2026-11-02','10.99',1.0,0,1.0,1,'2026-11-03T12:00:00.000000+00:00',70.0,90.0);
INSERT INTO "decisions" VALUES('chance',3,'2026-11-03','10.99',3.33333333333333314829e-01,0,6.66666666666666629659e-01,1,'2026-11-03T12:00:00.000000+00:00',70.0,80.0);
INSERT INTO "decisions" VALUES('chance',4,'2026-11-04','10.99',0.625,0,0.75,1,'2026-11-03T12:00:00.000000+00:00',274.75,90.0);
INSERT INTO "decisions" VALUES('chance',5,'2026-11-05','9.99',0.3,0,0.6,1,'2026-11-03T12:00:00.000000+00:00',166.5,90.0);
INSERT INTO "decisions" VALUES('chance',8,'2026-11-08','11.99',1.0,0,0.375,1,'2026-11-03T12:00:00.000000+00:00',1.99833333333333342807e+02,90.0);
INSERT INTO "decisions" VALUES('chance',9,'2026-11-09','8.99',1.0,0,3.33333333333333314829e-01,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('chance',10,'2026-11-10','11.99',7.99999999999999933386e-01,1,0.3,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('chance',11,'2026-11-11','8.99',0.0909090909090909,0,2.72727272727272707086e-01,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('index',1,'2026-11-01','9.99',1.0,0,19.5,1,'2026-11-03T12:00:00.000000+00:00',249.75,90.0);
INSERT INTO "decisions" VALUES('index',2,'2026-11-02','10.99',1.0,0,0.823529411764706,1,'2026-11-03T12:00:00.000000+00:00',70.0,90.0);
INSERT INTO "decisions" VALUES('index',3,'2026-11-03','9.99',1.0,1,5.61666666666666642999e+01,1,'2026-11-03T12:00:00.000000+00:00',70.0,80.0);
INSERT INTO "decisions" VALUES('index',4,'2026-11-04','9.99',1.0,1,41.125,1,'2026-11-03T12:00:00.000000+00:00',249.75,90.0);
INSERT INTO "decisions" VALUES('index',5,'2026-11-05','9.99',1.0,1,20.0,1,'2026-11-03T12:00:00.000000+00:00',166.5,90.0);
INSERT INTO "decisions" VALUES('index',8,'2026-11-08','11.99',1.0,0,35.0,1,'2026-11-03T12:00:00.000000+00:00',1.99833333333333342807e+02,90.0);
INSERT INTO "decisions" VALUES('index',9,'2026-11-09','8.99',1.0,0,15.75,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('index',10,'2026-11-10','8.99',1.0,0,2.26315789473684203514e+00,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('index',11,'2026-11-11','8.99',1.0,0,189.0,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('soft',1,'2026-11-01','9.99',1.0,0,9.4000725849147115376e-01,1,'2026-11-03T12:00:00.000000+00:00',249.75,90.0);
INSERT INTO "decisions" VALUES('soft',2,'2026-11-02','10.99',1.0,0,7.84084175552047346613e-01,1,'2026-11-03T12:00:00.000000+00:00',70.0,90.0);
INSERT INTO "decisions" VALUES('soft',3,'2026-11-03','9.99',1.0,1,2.7725887222397811449e+00,1,'2026-11-03T12:00:00.000000+00:00',70.0,80.0);
INSERT INTO "decisions" VALUES('soft',4,'2026-11-04','10.99',1.0,0,2.7725887222397811449e+00,1,'2026-11-03T12:00:00.000000+00:00',274.75,90.0);
INSERT INTO "decisions" VALUES('soft',5,'2026-11-05','9.99',1.0,1,2.7725887222397811449e+00,1,'2026-11-03T12:00:00.000000+00:00',166.5,90.0);
INSERT INTO "decisions" VALUES('soft',8,'2026-11-08','11.99',1.0,0,3.89182029811062646373e+00,1,'2026-11-03T12:00:00.000000+00:00',1.99833333333333342807e+02,90.0);
INSERT INTO "decisions" VALUES('soft',9,'2026-11-09','8.99',1.0,0,2.05923883436231669463e+00,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('soft',10,'2026-11-10','8.99',1.0,0,8.10930216216328769718e-01,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
INSERT INTO "decisions" VALUES('soft',11,'2026-11-11','8.99',1.0,0,4.96981329957600070912e+00,2,'2026-11-03T12:00:00.000000+00:00',NULL,NULL);
CREATE TABLE events (
	experiment VARCHAR(100) NOT NULL, 
	seq INTEGER NOT NULL, 
	at VARCHAR(40) NOT NULL, 
	kind VARCHAR(30) NOT NULL, 
	turn INTEGER, 
	body TEXT NOT NULL, 
	event TEXT, 
	PRIMARY KEY (experiment, seq), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
)
 WITHOUT ROWID

;
INSERT INTO "events" VALUES('chance',1,'2026-11-03T12:00:00.000000+00:00','created',NULL,'{"id":"chance","name":"A shelf","arms":[{"id":"9.99","label":"","start":null,"end":null,"when":"low","removed":false},{"id":"10.99","label":"premium","start":null,"end":null,"when":"low","removed":false},{"id":"11.99","label":"","start":6,"end":20,"when":"low","removed":false}],"policy":"epsilon-greedy","forecast":{"values":[100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0],"calendar":{"start":"2026-11-01","every":"day","zone":"Europe/Rome"}},"reward_range":[0.0,12.0],"seed":7,"policy_parameters":{"name":"epsilon-greedy","ties":"lowest","count":"turns","rho":0.0,"k":1.0}}',NULL);
INSERT INTO "events" VALUES('chance',2,'2026-11-03T12:00:00.000000+00:00','decided',1,'{"forecast":1,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":2,"turn":1,"arm":"9.99","probability":1.0,"exploited":false,"level":1.0,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('chance',3,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":3,"outcomes":[[1,249.75,90.0]]}');
INSERT INTO "events" VALUES('chance',4,'2026-11-03T12:00:00.000000+00:00','decided',2,'{"forecast":1,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":4,"turn":2,"arm":"10.99","probability":1.0,"exploited":false,"level":1.0,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('chance',5,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["10.99"]}','{"event":"OutcomesReported","seq":5,"outcomes":[[2,183.16666666666666,90.0]]}');
INSERT INTO "events" VALUES('chance',6,'2026-11-03T12:00:00.000000+00:00','decided',3,'{"forecast":1,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":6,"turn":3,"arm":"10.99","probability":0.3333333333333333,"exploited":false,"level":0.6666666666666666,"propensities":[[1,2],[0.6666666666666667,0.3333333333333333]],"expected":null}');
INSERT INTO "events" VALUES('chance',7,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["10.99"]}','{"event":"OutcomesReported","seq":7,"outcomes":[[3,549.5,90.0]]}');
INSERT INTO "events" VALUES('chance',8,'2026-11-03T12:00:00.000000+00:00','arm_entered',8,'{"id":"11.99"}','{"event":"ArmAdded","seq":8,"arm":"11.99","lifetime":[20,null],"held":true}');
INSERT INTO "events" VALUES('chance',9,'2026-11-03T12:00:00.000000+00:00','decided',8,'{"forecast":1,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":9,"turn":8,"arm":"11.99","probability":1.0,"exploited":false,"level":0.375,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('chance',10,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["11.99"]}','{"event":"OutcomesReported","seq":10,"outcomes":[[8,199.83333333333334,90.0]]}');
INSERT INTO "events" VALUES('chance',11,'2026-11-03T12:00:00.000000+00:00','decided',5,'{"forecast":1,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":11,"turn":5,"arm":"9.99","probability":0.3,"exploited":false,"level":0.6,"propensities":[[1,2,3],[0.3,0.7,0.0]],"expected":null}');
INSERT INTO "events" VALUES('chance',12,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":12,"outcomes":[[5,166.5,90.0]]}');
INSERT INTO "events" VALUES('chance',13,'2026-11-03T12:00:00.000000+00:00','decided',4,'{"forecast":1,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":13,"turn":4,"arm":"10.99","probability":0.625,"exploited":false,"level":0.75,"propensities":[[1,2,3],[0.375,0.625,0.0]],"expected":null}');
INSERT INTO "events" VALUES('chance',14,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["10.99"]}','{"event":"OutcomesReported","seq":14,"outcomes":[[4,274.75,90.0]]}');
INSERT INTO "events" VALUES('chance',15,'2026-11-03T12:00:00.000000+00:00','corrected',2,'{"reward":70.0,"visitors":90.0,"before":{"reward":183.16666666666666,"visitors":90.0},"arm":"10.99"}','{"event":"RewardCorrected","seq":15,"turn":2,"reward":70.0}');
INSERT INTO "events" VALUES('chance',16,'2026-11-03T12:00:00.000000+00:00','corrected',3,'{"reward":70.0,"visitors":80.0,"before":{"reward":549.5,"visitors":90.0},"arm":"10.99"}',NULL);
INSERT INTO "events" VALUES('chance',17,'2026-11-03T12:00:00.000000+00:00','arm_added',NULL,'{"id":"8.99","label":"","start":null,"end":null,"when":"now","removed":false}',NULL);
INSERT INTO "events" VALUES('chance',18,'2026-11-03T12:00:00.000000+00:00','arm_retired',NULL,'{"id":"9.99"}','{"event":"ArmRemoved","seq":16,"arm":"9.99"}');
INSERT INTO "events" VALUES('chance',19,'2026-11-03T12:00:00.000000+00:00','forecast_replaced',10,'{"version":2,"first":10,"values":[400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0]}','{"event":"MultiplierReplaced","seq":17,"turn":8,"multiplier":{"name":"G","values":[100.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0],"calendar":["2026-11-08T23:00:00","2026-11-09T23:00:00","2026-11-10T23:00:00","2026-11-11T23:00:00","2026-11-12T23:00:00","2026-11-13T23:00:00","2026-11-14T23:00:00","2026-11-15T23:00:00","2026-11-16T23:00:00","2026-11-17T23:00:00","2026-11-18T23:00:00","2026-11-19T23:00:00","2026-11-20T23:00:00","2026-11-21T23:00:00","2026-11-22T23:00:00","2026-11-23T23:00:00","2026-11-24T23:00:00","2026-11-25T23:00:00","2026-11-26T23:00:00","2026-11-27T23:00:00","2026-11-28T23:00:00"],"zone":"Europe/Rome"}}');
INSERT INTO "events" VALUES('chance',20,'2026-11-03T12:00:00.000000+00:00','arm_entered',9,'{"id":"8.99"}','{"event":"ArmAdded","seq":18,"arm":"8.99","lifetime":[null,null],"held":false}');
INSERT INTO "events" VALUES('chance',21,'2026-11-03T12:00:00.000000+00:00','decided',9,'{"forecast":2,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":19,"turn":9,"arm":"8.99","probability":1.0,"exploited":false,"level":0.3333333333333333,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('chance',22,'2026-11-03T12:00:00.000000+00:00','decided',10,'{"forecast":2,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":20,"turn":10,"arm":"11.99","probability":0.7999999999999999,"exploited":true,"level":0.3,"propensities":[[1,2,3,4],[0.0,0.09999999999999999,0.7999999999999999,0.09999999999999999]],"expected":null}');
INSERT INTO "events" VALUES('chance',23,'2026-11-03T12:00:00.000000+00:00','decided',11,'{"forecast":2,"policy":"epsilon-greedy"}','{"event":"TurnDecided","seq":21,"turn":11,"arm":"8.99","probability":0.0909090909090909,"exploited":false,"level":0.2727272727272727,"propensities":[[1,2,3,4],[0.0,0.0909090909090909,0.8181818181818182,0.0909090909090909]],"expected":null}');
INSERT INTO "events" VALUES('chance',24,'2026-11-03T12:00:00.000000+00:00','paused',NULL,'{}',NULL);
INSERT INTO "events" VALUES('index',1,'2026-11-03T12:00:00.000000+00:00','created',NULL,'{"id":"index","name":"A shelf","arms":[{"id":"9.99","label":"","start":null,"end":null,"when":"low","removed":false},{"id":"10.99","label":"premium","start":null,"end":null,"when":"low","removed":false},{"id":"11.99","label":"","start":6,"end":20,"when":"low","removed":false}],"policy":"option-index:count=visitors","forecast":{"values":[100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0],"calendar":{"start":"2026-11-01","every":"day","zone":"Europe/Rome"}},"reward_range":[0.0,12.0],"seed":7,"policy_parameters":{"name":"option-index","ties":"lowest","count":"visitors","wait":true,"regulated":true}}',NULL);
INSERT INTO "events" VALUES('index',2,'2026-11-03T12:00:00.000000+00:00','decided',1,'{"forecast":1,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":2,"turn":1,"arm":"9.99","probability":1.0,"exploited":false,"level":19.5,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',3,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":3,"outcomes":[[1,249.75,90.0]]}');
INSERT INTO "events" VALUES('index',4,'2026-11-03T12:00:00.000000+00:00','decided',2,'{"forecast":1,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":4,"turn":2,"arm":"10.99","probability":1.0,"exploited":false,"level":0.823529411764706,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',5,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["10.99"]}','{"event":"OutcomesReported","seq":5,"outcomes":[[2,183.16666666666666,90.0]]}');
INSERT INTO "events" VALUES('index',6,'2026-11-03T12:00:00.000000+00:00','decided',3,'{"forecast":1,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":6,"turn":3,"arm":"9.99","probability":1.0,"exploited":true,"level":56.166666666666664,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',7,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":7,"outcomes":[[3,499.5,90.0]]}');
INSERT INTO "events" VALUES('index',8,'2026-11-03T12:00:00.000000+00:00','arm_entered',8,'{"id":"11.99"}','{"event":"ArmAdded","seq":8,"arm":"11.99","lifetime":[20,null],"held":true}');
INSERT INTO "events" VALUES('index',9,'2026-11-03T12:00:00.000000+00:00','decided',8,'{"forecast":1,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":9,"turn":8,"arm":"11.99","probability":1.0,"exploited":false,"level":35.0,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',10,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["11.99"]}','{"event":"OutcomesReported","seq":10,"outcomes":[[8,199.83333333333334,90.0]]}');
INSERT INTO "events" VALUES('index',11,'2026-11-03T12:00:00.000000+00:00','decided',5,'{"forecast":1,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":11,"turn":5,"arm":"9.99","probability":1.0,"exploited":true,"level":20.0,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',12,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":12,"outcomes":[[5,166.5,90.0]]}');
INSERT INTO "events" VALUES('index',13,'2026-11-03T12:00:00.000000+00:00','decided',4,'{"forecast":1,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":13,"turn":4,"arm":"9.99","probability":1.0,"exploited":true,"level":41.125,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',14,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":14,"outcomes":[[4,249.75,90.0]]}');
INSERT INTO "events" VALUES('index',15,'2026-11-03T12:00:00.000000+00:00','corrected',2,'{"reward":70.0,"visitors":90.0,"before":{"reward":183.16666666666666,"visitors":90.0},"arm":"10.99"}','{"event":"RewardCorrected","seq":15,"turn":2,"reward":70.0}');
INSERT INTO "events" VALUES('index',16,'2026-11-03T12:00:00.000000+00:00','corrected',3,'{"reward":70.0,"visitors":80.0,"before":{"reward":499.5,"visitors":90.0},"arm":"9.99"}',NULL);
INSERT INTO "events" VALUES('index',17,'2026-11-03T12:00:00.000000+00:00','arm_added',NULL,'{"id":"8.99","label":"","start":null,"end":null,"when":"now","removed":false}',NULL);
INSERT INTO "events" VALUES('index',18,'2026-11-03T12:00:00.000000+00:00','arm_retired',NULL,'{"id":"9.99"}','{"event":"ArmRemoved","seq":16,"arm":"9.99"}');
INSERT INTO "events" VALUES('index',19,'2026-11-03T12:00:00.000000+00:00','forecast_replaced',10,'{"version":2,"first":10,"values":[400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0]}','{"event":"MultiplierReplaced","seq":17,"turn":8,"multiplier":{"name":"G","values":[100.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0],"calendar":["2026-11-08T23:00:00","2026-11-09T23:00:00","2026-11-10T23:00:00","2026-11-11T23:00:00","2026-11-12T23:00:00","2026-11-13T23:00:00","2026-11-14T23:00:00","2026-11-15T23:00:00","2026-11-16T23:00:00","2026-11-17T23:00:00","2026-11-18T23:00:00","2026-11-19T23:00:00","2026-11-20T23:00:00","2026-11-21T23:00:00","2026-11-22T23:00:00","2026-11-23T23:00:00","2026-11-24T23:00:00","2026-11-25T23:00:00","2026-11-26T23:00:00","2026-11-27T23:00:00","2026-11-28T23:00:00"],"zone":"Europe/Rome"}}');
INSERT INTO "events" VALUES('index',20,'2026-11-03T12:00:00.000000+00:00','arm_entered',9,'{"id":"8.99"}','{"event":"ArmAdded","seq":18,"arm":"8.99","lifetime":[null,null],"held":false}');
INSERT INTO "events" VALUES('index',21,'2026-11-03T12:00:00.000000+00:00','decided',9,'{"forecast":2,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":19,"turn":9,"arm":"8.99","probability":1.0,"exploited":false,"level":15.75,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',22,'2026-11-03T12:00:00.000000+00:00','decided',10,'{"forecast":2,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":20,"turn":10,"arm":"8.99","probability":1.0,"exploited":false,"level":2.263157894736842,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('index',23,'2026-11-03T12:00:00.000000+00:00','decided',11,'{"forecast":2,"policy":"option-index:count=visitors"}','{"event":"TurnDecided","seq":21,"turn":11,"arm":"8.99","probability":1.0,"exploited":false,"level":189.0,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',1,'2026-11-03T12:00:00.000000+00:00','created',NULL,'{"id":"soft","name":"A shelf","arms":[{"id":"9.99","label":"","start":null,"end":null,"when":"low","removed":false},{"id":"10.99","label":"premium","start":null,"end":null,"when":"low","removed":false},{"id":"11.99","label":"","start":6,"end":20,"when":"low","removed":false}],"policy":"soft-ucb","forecast":{"values":[100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0,60.0,80.0,100.0,250.0],"calendar":{"start":"2026-11-01","every":"day","zone":"Europe/Rome"}},"reward_range":[0.0,12.0],"seed":7,"noise":{"count":"visitors","rho":0.02},"policy_parameters":{"name":"soft-ucb","ties":"lowest","count":"visitors","rho":0.02,"unit":"q0.1","P":2.0}}',NULL);
INSERT INTO "events" VALUES('soft',2,'2026-11-03T12:00:00.000000+00:00','decided',1,'{"forecast":1,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":2,"turn":1,"arm":"9.99","probability":1.0,"exploited":false,"level":0.9400072584914712,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',3,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":3,"outcomes":[[1,249.75,90.0]]}');
INSERT INTO "events" VALUES('soft',4,'2026-11-03T12:00:00.000000+00:00','decided',2,'{"forecast":1,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":4,"turn":2,"arm":"10.99","probability":1.0,"exploited":false,"level":0.7840841755520473,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',5,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["10.99"]}','{"event":"OutcomesReported","seq":5,"outcomes":[[2,183.16666666666666,90.0]]}');
INSERT INTO "events" VALUES('soft',6,'2026-11-03T12:00:00.000000+00:00','decided',3,'{"forecast":1,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":6,"turn":3,"arm":"9.99","probability":1.0,"exploited":true,"level":2.772588722239781,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',7,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":7,"outcomes":[[3,499.5,90.0]]}');
INSERT INTO "events" VALUES('soft',8,'2026-11-03T12:00:00.000000+00:00','arm_entered',8,'{"id":"11.99"}','{"event":"ArmAdded","seq":8,"arm":"11.99","lifetime":[20,null],"held":true}');
INSERT INTO "events" VALUES('soft',9,'2026-11-03T12:00:00.000000+00:00','decided',8,'{"forecast":1,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":9,"turn":8,"arm":"11.99","probability":1.0,"exploited":false,"level":3.8918202981106265,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',10,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["11.99"]}','{"event":"OutcomesReported","seq":10,"outcomes":[[8,199.83333333333334,90.0]]}');
INSERT INTO "events" VALUES('soft',11,'2026-11-03T12:00:00.000000+00:00','decided',5,'{"forecast":1,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":11,"turn":5,"arm":"9.99","probability":1.0,"exploited":true,"level":2.772588722239781,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',12,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["9.99"]}','{"event":"OutcomesReported","seq":12,"outcomes":[[5,166.5,90.0]]}');
INSERT INTO "events" VALUES('soft',13,'2026-11-03T12:00:00.000000+00:00','decided',4,'{"forecast":1,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":13,"turn":4,"arm":"10.99","probability":1.0,"exploited":false,"level":2.772588722239781,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',14,'2026-11-03T12:00:00.000000+00:00','rewarded',NULL,'{"arms":["10.99"]}','{"event":"OutcomesReported","seq":14,"outcomes":[[4,274.75,90.0]]}');
INSERT INTO "events" VALUES('soft',15,'2026-11-03T12:00:00.000000+00:00','corrected',2,'{"reward":70.0,"visitors":90.0,"before":{"reward":183.16666666666666,"visitors":90.0},"arm":"10.99"}','{"event":"RewardCorrected","seq":15,"turn":2,"reward":70.0}');
INSERT INTO "events" VALUES('soft',16,'2026-11-03T12:00:00.000000+00:00','corrected',3,'{"reward":70.0,"visitors":80.0,"before":{"reward":499.5,"visitors":90.0},"arm":"9.99"}',NULL);
INSERT INTO "events" VALUES('soft',17,'2026-11-03T12:00:00.000000+00:00','arm_added',NULL,'{"id":"8.99","label":"","start":null,"end":null,"when":"now","removed":false}',NULL);
INSERT INTO "events" VALUES('soft',18,'2026-11-03T12:00:00.000000+00:00','arm_retired',NULL,'{"id":"9.99"}','{"event":"ArmRemoved","seq":16,"arm":"9.99"}');
INSERT INTO "events" VALUES('soft',19,'2026-11-03T12:00:00.000000+00:00','forecast_replaced',10,'{"version":2,"first":10,"values":[400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0]}','{"event":"MultiplierReplaced","seq":17,"turn":8,"multiplier":{"name":"G","values":[100.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0,400.0,20.0],"calendar":["2026-11-08T23:00:00","2026-11-09T23:00:00","2026-11-10T23:00:00","2026-11-11T23:00:00","2026-11-12T23:00:00","2026-11-13T23:00:00","2026-11-14T23:00:00","2026-11-15T23:00:00","2026-11-16T23:00:00","2026-11-17T23:00:00","2026-11-18T23:00:00","2026-11-19T23:00:00","2026-11-20T23:00:00","2026-11-21T23:00:00","2026-11-22T23:00:00","2026-11-23T23:00:00","2026-11-24T23:00:00","2026-11-25T23:00:00","2026-11-26T23:00:00","2026-11-27T23:00:00","2026-11-28T23:00:00"],"zone":"Europe/Rome"}}');
INSERT INTO "events" VALUES('soft',20,'2026-11-03T12:00:00.000000+00:00','arm_entered',9,'{"id":"8.99"}','{"event":"ArmAdded","seq":18,"arm":"8.99","lifetime":[null,null],"held":false}');
INSERT INTO "events" VALUES('soft',21,'2026-11-03T12:00:00.000000+00:00','decided',9,'{"forecast":2,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":19,"turn":9,"arm":"8.99","probability":1.0,"exploited":false,"level":2.0592388343623167,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',22,'2026-11-03T12:00:00.000000+00:00','decided',10,'{"forecast":2,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":20,"turn":10,"arm":"8.99","probability":1.0,"exploited":false,"level":0.8109302162163288,"propensities":null,"expected":null}');
INSERT INTO "events" VALUES('soft',23,'2026-11-03T12:00:00.000000+00:00','decided',11,'{"forecast":2,"policy":"soft-ucb"}','{"event":"TurnDecided","seq":21,"turn":11,"arm":"8.99","probability":1.0,"exploited":false,"level":4.969813299576001,"propensities":null,"expected":null}');
CREATE TABLE experiments (
	id VARCHAR(100) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	policy VARCHAR(1000) NOT NULL, 
	created_at VARCHAR(40) NOT NULL, 
	last_seq INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "experiments" VALUES('index','A shelf','running','option-index:count=visitors','2026-11-03T12:00:00.000000+00:00',23);
INSERT INTO "experiments" VALUES('soft','A shelf','running','soft-ucb','2026-11-03T12:00:00.000000+00:00',23);
INSERT INTO "experiments" VALUES('chance','A shelf','paused','epsilon-greedy','2026-11-03T12:00:00.000000+00:00',24);
CREATE TABLE requests (
	experiment VARCHAR(100) NOT NULL, 
	"key" VARCHAR(200) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (experiment, "key"), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
)
 WITHOUT ROWID

;
INSERT INTO "requests" VALUES('chance','k1','edc14a4e8560713cd6d7144cb262de1dd7dc44d8cc6310c3bbb0b13fa6f466ca','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('chance','k2','79e23c39ff63b4ecd2d630d5eb0075d8e482d4722f2876c8ad9e89477b9c9959','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('chance','k3','a591373cb280417a71bb1d7f71663f8983e14ac6b87ce165e25643e21c139b6c','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('chance','k4','2d2ae11bdbf92a15d448b5913a609b65943a1c5a5150f5e2d4448e6c0ac01a40','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('chance','k5','ec48d7809737b7a6bc616bf752dd2d8a1e9135f6125bf7979bdf6aa6299a810e','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('chance','k8','9a0b4fbce55bb5baa2ac039883d912c855b61a4ae471864293208a134ec8f5e4','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('index','k1','edc14a4e8560713cd6d7144cb262de1dd7dc44d8cc6310c3bbb0b13fa6f466ca','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('index','k2','79e23c39ff63b4ecd2d630d5eb0075d8e482d4722f2876c8ad9e89477b9c9959','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('index','k3','f369e4e172ea62b167daa5f56f7852daf687df7d73e9c6bf326b555b0cd7086d','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('index','k4','3c1b67f5aa33902c4b7f0e34edfde56d2c1adb15ba380f834aa1123fddd301ab','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('index','k5','ec48d7809737b7a6bc616bf752dd2d8a1e9135f6125bf7979bdf6aa6299a810e','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('index','k8','9a0b4fbce55bb5baa2ac039883d912c855b61a4ae471864293208a134ec8f5e4','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('soft','k1','edc14a4e8560713cd6d7144cb262de1dd7dc44d8cc6310c3bbb0b13fa6f466ca','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('soft','k2','79e23c39ff63b4ecd2d630d5eb0075d8e482d4722f2876c8ad9e89477b9c9959','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('soft','k3','f369e4e172ea62b167daa5f56f7852daf687df7d73e9c6bf326b555b0cd7086d','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('soft','k4','2d2ae11bdbf92a15d448b5913a609b65943a1c5a5150f5e2d4448e6c0ac01a40','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('soft','k5','ec48d7809737b7a6bc616bf752dd2d8a1e9135f6125bf7979bdf6aa6299a810e','{"received": 1, "new": 1, "clipped": 0}');
INSERT INTO "requests" VALUES('soft','k8','9a0b4fbce55bb5baa2ac039883d912c855b61a4ae471864293208a134ec8f5e4','{"received": 1, "new": 1, "clipped": 0}');
CREATE TABLE snapshots (
	experiment VARCHAR(100) NOT NULL, 
	seq INTEGER NOT NULL, 
	written_by VARCHAR(50) NOT NULL, 
	state TEXT NOT NULL, 
	PRIMARY KEY (experiment), 
	FOREIGN KEY(experiment) REFERENCES experiments (id)
);
CREATE TABLE tokens (
	hash VARCHAR(64) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	scope VARCHAR(20) NOT NULL, 
	created_at VARCHAR(40) NOT NULL, 
	PRIMARY KEY (hash), 
	UNIQUE (name)
);
INSERT INTO "tokens" VALUES('d4b9e3f94e962b204ad27798a1943d222961124d542794c3de3b733e89103a1a','till','decide','2026-11-03T12:00:00+00:00');
COMMIT;
